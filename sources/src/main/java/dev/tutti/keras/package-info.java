/** The door for those who come from Keras: compile, fit, evaluate and predict on a model. */
package dev.tutti.keras;

/** What training makes small. */
package dev.tutti.loss;

/** Gradients made small for the way between members. */
package dev.tutti.strategy.compression;

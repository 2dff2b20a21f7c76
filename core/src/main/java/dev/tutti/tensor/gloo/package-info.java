/** The native side of Gloo: connections between members and the store they find each other by. Not for users. */
package dev.tutti.tensor.gloo;

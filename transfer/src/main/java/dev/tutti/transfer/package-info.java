/** Knowledge carried over from one model to another. */
package dev.tutti.transfer;

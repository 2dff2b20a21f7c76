/** What each way of agreeing costs and gives: bytes, seconds and accuracy of the same training. */
package dev.tutti.bench.strategies;

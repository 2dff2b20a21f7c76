/** Several tasks learned at once by one model: their data, losses and metrics side by side. */
package dev.tutti.train.multitask;

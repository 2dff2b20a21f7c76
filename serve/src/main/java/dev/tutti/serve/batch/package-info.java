/** Dynamic batching: requests that wait at the same time are computed together, within limits of size, delay and queue. */
package dev.tutti.serve.batch;

/** Several serving processes behind one address: balancing, health checks, ejection, safe retries, draining. */
package dev.tutti.serve.route;

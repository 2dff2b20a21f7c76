/** Training jobs as a service: a queue, processes that outlive it, and recovery. */
package dev.tutti.jobs;

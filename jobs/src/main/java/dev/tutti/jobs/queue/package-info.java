/** The queue of jobs: priorities, fair shares by user, resources; the service that starts and recovers them. */
package dev.tutti.jobs.queue;

/** Members of a job: who they are, who is alive, what data each has leased, and how they are started. */
package dev.tutti.cluster;

/** Members in virtual time over the coordinator's own code: membership, meetings and the ledger at sizes that no test cluster has. */
package dev.tutti.plan.simulation;

package dev.tutti.spark.node;

import dev.tutti.comm.Team;

/**
 * What a node knows of its place.
 *
 * @param executorId of Spark
 * @param jobName {@code worker}, or {@code ps} for parameter servers
 * @param taskIndex its number among the nodes of its kind
 * @param workers how many workers there are
 * @param feed the rows of RDDs
 * @param team its way to the other nodes: {@code team.meet(0)}, then collectives and messages
 */
public record NodeContext(String executorId, String jobName, int taskIndex, int workers, DataFeed feed, Team team) {}

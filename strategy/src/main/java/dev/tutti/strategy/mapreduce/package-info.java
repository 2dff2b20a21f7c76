/**
 * Training by MapReduce: in each round parts of the data are mapped to partial sums over ranges of the parameters, which are shuffled by
 * range and reduced. {@link dev.tutti.strategy.mapreduce.ThreadEngine} runs a round on threads of this JVM; a cluster's engine runs the
 * same map, shuffle and reduce.
 */
package dev.tutti.strategy.mapreduce;

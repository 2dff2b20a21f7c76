/**
 * What all transports share: calls of a collective are compared before elements move, every wait has a deadline, bytes are
 * counted. Not for users.
 */
package dev.tutti.comm.transport;

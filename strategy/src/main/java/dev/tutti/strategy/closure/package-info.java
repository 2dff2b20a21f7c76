/**
 * Functions that one member lets others run: a scheduler hands them out to members with the role {@code executor}, and gives those of a lost
 * member to another one. Functions are found by name; code does not travel.
 */
package dev.tutti.strategy.closure;

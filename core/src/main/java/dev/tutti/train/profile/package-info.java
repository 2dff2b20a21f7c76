/** Where the time of a run goes: by member, by phase, and what limits it. */
package dev.tutti.train.profile;

/** What a table holds, for people and for a first job: types, missing values, distributions; a job file drafted from them. */
package dev.tutti.source.profile;

/** Online learning: examples from requests become better versions of a served model, judged by answers that were held out. */
package dev.tutti.jobs.learn;

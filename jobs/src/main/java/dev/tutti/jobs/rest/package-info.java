/** Jobs over HTTP, and the page. */
package dev.tutti.jobs.rest;

/** Small programs that show how Tutti is used; each can be copied and changed. */
package dev.tutti.examples;

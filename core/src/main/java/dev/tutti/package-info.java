/** What every part of Tutti shares and that depends on nothing: errors meant for users, and spelling help. */
package dev.tutti;

/** Several sources as one: side by side, one after the other, or taking turns. */
package dev.tutti.source.combined;

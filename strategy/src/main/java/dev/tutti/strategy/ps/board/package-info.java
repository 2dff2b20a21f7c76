/** What workers of parameter servers tell each other of their pushes, and what each of them concludes from it. */
package dev.tutti.strategy.ps.board;

/** Products of matrices that are divided among members. */
package dev.tutti.strategy.parallel.matrix;

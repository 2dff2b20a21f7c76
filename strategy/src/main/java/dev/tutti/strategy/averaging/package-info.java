/** Members that train on their own for a while and then average their models. */
package dev.tutti.strategy.averaging;

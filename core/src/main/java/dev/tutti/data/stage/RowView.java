package dev.tutti.data.stage;

/** The rows of one epoch at some stage, where each can be reached by its place. */
interface RowView {
    long size();

    Row get(long place);
}

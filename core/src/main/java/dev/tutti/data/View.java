package dev.tutti.data;

/** The rows of one epoch at some stage, where each can be reached by its place. */
interface View {
    long size();

    Row get(long place);
}

package dev.gpubroker.broker.request;

/**
 * A value and the words that said it.
 *
 * @param position where they begin in the phrase, in characters from 0
 */
record Said<T>(T value, String words, int position) {}

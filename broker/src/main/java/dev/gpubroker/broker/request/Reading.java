package dev.gpubroker.broker.request;

/**
 * One way to understand a phrase.
 *
 * @param echo the request in one English sentence
 * @param echoZh the same in Chinese
 * @param why what sets it apart from other readings, in English
 * @param whyZh the same in Chinese
 */
public record Reading(BookingRequest request, String echo, String echoZh, String why, String whyZh) {}

import { type DestinationStream, type Logger, pino } from 'pino'
import { openLogDestination } from './log-destination.ts'

/**
 * Creates the gateway's log: one JSON object per line on standard error, so that standard output stays for people.
 *
 * @param level - least severe level that is written
 * @param destination - destination of the lines; standard error when omitted
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // No part of the gateway logs headers; if one ever does, these are redacted.
      redact: ['*.headers.authorization', '*.headers["x-token"]', '*.url'],
    },
    destination ?? openLogDestination(2),
  )
}

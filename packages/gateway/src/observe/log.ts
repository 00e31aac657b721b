import { type DestinationStream, type Logger, pino } from 'pino'
import { openLogDestination } from './log-destination.ts'

/**
 * Makes the service's log: one JSON object a line on standard error, so that standard output stays for people.
 *
 * @param level - least severe line that is written
 * @param destination - where the lines go; standard error when left out
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // No part of the service logs headers; should one ever do, these stay out.
      redact: ['*.headers.authorization', '*.headers["x-token"]', '*.url'],
    },
    destination ?? openLogDestination(2),
  )
}

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { EngineRecord } from './watchdog-protocol.ts'

/**
 * Writes the record of a running engine.
 *
 * @param file Path of the record.
 * @param record The record to write.
 */
export function writeEngineRecord(file: string, record: EngineRecord): void {
  writeFileSync(`${file}.draft`, JSON.stringify(record))
  renameSync(`${file}.draft`, file)
}

/**
 * Reads the record of a running engine.
 *
 * @param file Path of the record.
 * @returns The record; `undefined` when no engine was left running.
 */
export function readEngineRecord(file: string): EngineRecord | undefined {
  try {
    const record: EngineRecord = JSON.parse(readFileSync(file, 'utf8'))
    return record
  } catch {
    return undefined
  }
}

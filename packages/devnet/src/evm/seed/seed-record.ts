import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { DevnetError } from '../../runtime/devnet-error.ts'
import type { EvmExample } from './seed.ts'

/**
 * Stores the hashes and addresses of the sample data for later starts.
 *
 * @param file Path of the record.
 * @param example The data to store.
 */
export function writeSeedRecord(file: string, example: EvmExample): void {
  writeFileSync(`${file}.draft`, `${JSON.stringify(example, undefined, 2)}\n`)
  renameSync(`${file}.draft`, file)
}

/**
 * Reads the hashes and addresses of the sample data of an existing chain.
 *
 * @param file Path of the record.
 * @param stateFile Path of the state that it belongs to, for the error text.
 * @throws {@link DevnetError} `DEVNET_STATE_UNREADABLE` when the record is missing or damaged.
 */
export function readSeedRecord(file: string, stateFile: string): EvmExample {
  try {
    const example: EvmExample = JSON.parse(readFileSync(file, 'utf8'))
    return example
  } catch (cause) {
    throw new DevnetError(
      'DEVNET_STATE_UNREADABLE',
      `The chain in ${stateFile} has blocks, but the record of its sample data, ${file}, cannot be read. Put the record back, or move both files away to start a fresh chain. Nothing was deleted.`,
      { cause },
    )
  }
}

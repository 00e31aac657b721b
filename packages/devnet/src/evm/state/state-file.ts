import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { callEngine, jsonRpcRequest } from '../json-rpc.ts'

const settleMs = 20

/**
 * Writes the whole state of a running engine to a file that is complete at all times.
 *
 * The engine can save by itself, but it overwrites its file in place, so an exit during that write would destroy both
 * the old and the new state. This function streams the state through the checksum of its compression into a second
 * file, which then replaces the first.
 *
 * @param url URL of the engine.
 * @param file Path of the state file.
 * @param signal Aborts the save.
 * @throws Error when the engine does not respond or the state cannot be written to disk.
 */
export async function saveState(url: string, file: string, signal: AbortSignal): Promise<void> {
  const temporaryFile = `${file}.draft`
  try {
    const response = await fetch(url, { ...jsonRpcRequest('anvil_dumpState', [true]), signal })
    if (response.body === null) throw new Error('anvil_dumpState: empty response')
    await pipeline(response.body, decodeHexResult, createGunzip(), createWriteStream(temporaryFile), {
      signal,
    })
    await flush(temporaryFile)
    await rename(temporaryFile, file)
  } catch (error) {
    await rm(temporaryFile, { force: true })
    throw error
  }
}

/**
 * Saves the state for the last time before the engine exits.
 *
 * It stops mining first. Every transaction with a receipt at that time is in the file; no receipt follows later.
 *
 * @param url URL of the engine.
 * @param file Path of the state file.
 * @param signal Aborts the save.
 * @throws Error like {@link saveState}.
 */
export async function saveFinalState(url: string, file: string, signal: AbortSignal): Promise<void> {
  await callEngine(url, 'anvil_setIntervalMining', [0], signal)
  // A block that is in progress at that time is still mined.
  for (let saved: string | undefined; ;) {
    const head = await readHead(url, signal)
    if (head === saved) return
    await sleep(settleMs, undefined, { signal })
    if (head !== (await readHead(url, signal))) continue
    await saveState(url, file, signal)
    saved = head
  }
}

/**
 * Reads the hash of the latest block.
 *
 * @param url URL of the engine.
 * @param signal Aborts the request.
 * @returns The hash, which also differs when another block of the same height replaced the block.
 * @throws Error when the engine does not respond.
 */
export async function readHead(url: string, signal: AbortSignal): Promise<string> {
  const { hash } = await callEngine<{ hash: string }>(url, 'eth_getBlockByNumber', ['latest', false], signal)
  return hash
}

/**
 * Adopts the state that an engine wrote on exit.
 *
 * @param exitStateFile The file that the engine wrote; it does not exist afterwards.
 * @param file Path of the state file.
 * @returns False when the engine wrote no state or an incomplete one.
 */
export async function adoptExitState(exitStateFile: string, file: string): Promise<boolean> {
  try {
    // The engine exits with success even when the disk was full, so only the content shows whether the state is
    // complete.
    if (!(await isCompleteJson(exitStateFile))) throw new Error('the state is incomplete')
    await flush(exitStateFile)
    await rename(exitStateFile, file)
    return true
  } catch {
    await rm(exitStateFile, { force: true })
    return false
  }
}

const resultPrefix = /"result"\s*:\s*"0x/

// The state is by far the largest response of the engine and grows with the chain, so it is never held as one string.
async function* decodeHexResult(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let text = ''
  let inResult = false
  for await (const chunk of source) {
    text += Buffer.from(chunk).toString('latin1')
    if (!inResult) {
      const prefix = resultPrefix.exec(text)
      if (prefix === null) continue
      inResult = true
      text = text.slice(prefix.index + prefix[0].length)
    }
    const end = text.indexOf('"')
    const complete = end === -1 ? text.length - (text.length % 2) : end
    yield Buffer.from(text.slice(0, complete), 'hex')
    if (end !== -1) return
    text = text.slice(complete)
  }
  throw new Error(`anvil_dumpState: ${inResult ? 'the response is incomplete' : text.slice(0, 200)}`)
}

// A state can exceed the maximum string length, so it is not parsed: truncated JSON has an unclosed bracket.
async function isCompleteJson(file: string): Promise<boolean> {
  let depth = 0
  let inString = false
  let escaped = false
  let isComplete = false
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      if (escaped) escaped = false
      else if (inString && byte === 0x5c) escaped = true
      else if (byte === 0x22) inString = !inString
      else if (inString) continue
      else if (byte === 0x7b || byte === 0x5b) depth++
      else if (byte === 0x7d || byte === 0x5d) isComplete = --depth === 0
    }
  }
  return isComplete && depth === 0
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

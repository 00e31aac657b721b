import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lockDirectory } from './directory-lock.ts'

const module = new URL('./directory-lock.ts', import.meta.url).href
const lockAndWait = `
  const { lockDirectory } = await import(${JSON.stringify(module)})
  try { globalThis.lock = lockDirectory(process.argv[1]); console.log('held') } catch (error) { console.log(error.name) }
  setInterval(() => {}, 1000)`

describe('lockDirectory', () => {
  let directory: string
  let file: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fairlead-lock-'))
    file = join(directory, 'control.lock')
  })
  beforeEach(() => rm(file, { force: true }))
  afterAll(() => rm(directory, { recursive: true }))

  async function lockInChild(): Promise<{ kill: () => Promise<void>; outcome: string; pid: number }> {
    const child = spawn(process.execPath, ['--input-type=module', '-e', lockAndWait, file])
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    const kill = async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    return { kill, outcome: String(value), pid: child.pid ?? 0 }
  }

  it('rejects a second process, and names the first', async () => {
    const first = await lockInChild()
    expect(first.outcome).toBe('held')
    expect(() => lockDirectory(file)).toThrow(
      `The directory is in use by process ${first.pid} (lock file ${file}).`,
    )
    await first.kill()
  })

  it('rejects a second lock in the same process', () => {
    const lock = lockDirectory(file)
    expect(() => lockDirectory(file)).toThrow(`process ${process.pid} `)
    lock.release()
    lock.release()
    lockDirectory(file).release()
  })

  it('is released when its process is killed, and acquired by exactly one of several processes', async () => {
    const first = await lockInChild()
    await first.kill()
    const others = await Promise.all(Array.from({ length: 6 }, lockInChild))
    expect(others.filter((other) => other.outcome === 'held')).toHaveLength(1)
    expect(others.filter((other) => other.outcome === 'DirectoryLockError')).toHaveLength(5)
    await Promise.all(others.map((other) => other.kill()))
  })

  it('does not modify a file that is not a lock', async () => {
    await writeFile(file, 'a text of another program, longer than a header of SQLite has to be')
    expect(() => lockDirectory(file)).toThrow('is not a lock file of the gateway')
  })
})

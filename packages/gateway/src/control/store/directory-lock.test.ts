import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lockDirectory } from './directory-lock.ts'

const module = new URL('./directory-lock.ts', import.meta.url).href
const takeAndWait = `
  const { lockDirectory } = await import(${JSON.stringify(module)})
  try { await lockDirectory(process.argv[1]); console.log('held') } catch (error) { console.log(error.code) }
  setInterval(() => {}, 1000)`

describe('lockDirectory', () => {
  let directory: string
  let file: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fairlead-lock-'))
    file = join(directory, 'control.lock')
  })
  beforeEach(async () => {
    await rm(file, { force: true })
  })
  afterAll(() => rm(directory, { recursive: true }))

  async function takeInChild(): Promise<{ kill: () => Promise<void>; answer: string; pid: number }> {
    const child = spawn(process.execPath, ['--input-type=module', '-e', takeAndWait, file])
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    const kill = async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    return { kill, answer: String(value), pid: child.pid ?? 0 }
  }

  it('keeps a second process out, and names the first', async () => {
    const first = await takeInChild()
    expect(first.answer).toBe('held')
    await expect(lockDirectory(file)).rejects.toThrow(
      `[STORE_IN_USE] The data directory is in use by process ${first.pid}`,
    )
    await first.kill()
  })

  it('keeps a second opening in the same process out', async () => {
    const lock = await lockDirectory(file)
    await expect(lockDirectory(file)).rejects.toMatchObject({ code: 'STORE_IN_USE' })
    await lock.release()
    await (await lockDirectory(file)).release()
  })

  it('replaces the lock of a killed process, and only one of many gets it', async () => {
    const first = await takeInChild()
    await first.kill()
    const others = await Promise.all(Array.from({ length: 6 }, takeInChild))
    expect(others.filter((other) => other.answer === 'held')).toHaveLength(1)
    expect(others.filter((other) => other.answer === 'STORE_IN_USE')).toHaveLength(5)
    await Promise.all(others.map((other) => other.kill()))
  })

  it('replaces the lock of an earlier process with the same pid', async () => {
    const lock = await lockDirectory(file)
    const holder: object = JSON.parse(await readFile(file, 'utf8'))
    await lock.release()
    await writeFile(file, JSON.stringify({ ...holder, id: 'earlier', began: '1' }))
    await (await lockDirectory(file)).release()
    // The process that runs the tests is another one that lives, but not the one that took this lock.
    await writeFile(file, JSON.stringify({ ...holder, pid: process.ppid, id: 'earlier', began: '1' }))
    await (await lockDirectory(file)).release()
  })

  it('goes by the heartbeat when the lock comes from another host', async () => {
    await writeFile(file, JSON.stringify({ pid: 1, began: '1', host: 'elsewhere.example', id: 'foreign' }))
    await expect(lockDirectory(file)).rejects.toThrow('elsewhere.example')
    const silent = new Date(Date.now() - 60_000)
    await utimes(file, silent, silent)
    await (await lockDirectory(file)).release()
  })

  it('replaces a damaged lock file and leaves nothing behind', async () => {
    await writeFile(file, '{"pid":')
    await (await lockDirectory(file)).release()
    expect(await readdir(directory)).toEqual([])
  })
})

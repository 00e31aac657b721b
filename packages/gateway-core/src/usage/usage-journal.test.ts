import { appendFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJournal, openOrphanedJournals, type UsageJournal } from './usage-journal.ts'

describe('a journal of usage', () => {
  let directory: string
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fairlead-usage-'))
  })
  afterEach(() => rm(directory, { recursive: true }))

  const batch = (sequence: number) => ({ writer: '', sequence, rows: [] })

  async function sequences(journal: UsageJournal): Promise<number[]> {
    const found: number[] = []
    for await (const { sequence, writer } of journal.read()) {
      expect(writer).toBe(journal.writer)
      found.push(sequence)
    }
    return found
  }

  it('returns appended batches in order until it is truncated', async () => {
    const journal = await openJournal(join(directory, 'usage'))
    expect(journal.isEmpty).toBe(true)
    await Promise.all([1, 2, 3].map((sequence) => journal.append(batch(sequence))))
    expect(await sequences(journal)).toEqual([1, 2, 3])
    // A batch that is appended while the others are written is not one of them.
    await journal.append(batch(4))
    await journal.truncate()
    expect(journal.isEmpty).toBe(false)
    expect(await sequences(journal)).toEqual([4])
    expect(await sequences(journal)).toEqual([4])
    await journal.truncate()
    expect(journal.isEmpty).toBe(true)
    const file = join(directory, 'usage', `${journal.writer}.journal`)
    expect(await stat(file)).toMatchObject({ size: 0 })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await journal.append(batch(5))
    expect(await sequences(journal)).toEqual([5])
    await journal.truncate()
    await journal.close()
    expect(await readdir(join(directory, 'usage'))).toEqual([])
  })

  it('reads batches of an earlier version, without request durations', async () => {
    await writeFile(join(directory, 'w.journal'), '\n{"sequence":7,"rows":[{"method":"m","requests":2}]}\n')
    const [orphaned] = await openOrphanedJournals(directory)
    if (!orphaned) throw new Error('The journal was not found.')
    const row = { method: 'm', requests: 2, timedRequests: 0, durationMicroseconds: 0 }
    const found: unknown[] = []
    for await (const read of orphaned.read()) found.push(read)
    expect(found).toEqual([{ writer: 'w', sequence: 7, rows: [row] }])
    await orphaned.close()
  })

  it('is found by another process after its writer exits, without incomplete batches', async () => {
    const journal = await openJournal(directory)
    await journal.append(batch(1))
    expect(await openOrphanedJournals(directory)).toEqual([])
    await journal.close()
    const file = join(directory, `${journal.writer}.journal`)
    await appendFile(file, '\n{"sequence":2,"rows":[{"hour":17')
    await writeFile(join(directory, 'notes.txt'), 'mine')
    const [orphaned, ...others] = await openOrphanedJournals(directory)
    expect(others).toEqual([])
    if (!orphaned) throw new Error('The journal was not found.')
    expect(orphaned.writer).toBe(journal.writer)
    expect(await sequences(orphaned)).toEqual([1])
    await orphaned.append(batch(3))
    expect(await sequences(orphaned)).toEqual([1, 3])
    await orphaned.truncate()
    await orphaned.close()
    expect(await readdir(directory)).toEqual(['notes.txt'])
  })
})

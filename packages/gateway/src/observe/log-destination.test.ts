import fs, { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { createLog } from './log.ts'
import { openLogDestination } from './log-destination.ts'

afterEach(() => vi.restoreAllMocks())

it('a full disk does not throw, and logging resumes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-log-'))
  const file = join(folder, 'log')
  const fd = openSync(file, 'a')
  onTestFinished(() => {
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  const log = createLog('info', openLogDestination(fd))
  log.info('before')
  const write = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  for (let count = 0; count < 100; count++) log.info('x'.repeat(10_000))
  expect(write).toHaveBeenCalledTimes(100)
  write.mockRestore()
  log.info('after')
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'before' }, { msg: 'after' }])
})

it.runIf(process.platform === 'linux')('a device that is always full does not throw', () => {
  const fd = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(fd))
  const log = createLog('info', openLogDestination(fd))
  for (let count = 0; count < 200; count++) log.info('x'.repeat(10_000))
})

import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DevelopmentFile, readDevelopmentFile, writeDevelopmentFile } from './development-file.ts'

let directory: string
let path: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-file-'))
  path = join(directory, 'deep', 'dev.json')
})

afterEach(() => rm(directory, { recursive: true }))

const content: DevelopmentFile = {
  base_url: 'http://127.0.0.1:1',
  console_url: 'http://127.0.0.1:1/console/',
  api_key: 'k',
  organization_id: 'o',
  project_id: 'p',
  nodes: [
    {
      id: 'n',
      chain: 'evm',
      network: 'devnet',
      protocols: ['evm'],
      node_url: 'http://127.0.0.1:1',
      token: 't',
      username: 'u',
      password: 'p',
    },
  ],
}

const mode = async (at: string) => ((await stat(at)).mode & 0o777).toString(8)

describe('the development file', () => {
  it('reads what was written, with permissions for its owner only', async () => {
    await writeDevelopmentFile(path, content)
    expect(await readDevelopmentFile(path)).toEqual(content)
    expect(await mode(path)).toBe('600')
    expect(await mode(join(directory, 'deep'))).toBe('700')
  })

  it('is replaced atomically, including an old file that others could read', async () => {
    await writeDevelopmentFile(path, content)
    await chmod(path, 0o644)
    // The remains of a crash during an earlier write.
    await writeFile(`${path}.${process.pid}`, 'half', { mode: 0o644 })
    const state = { isReading: true }
    const reader = (async () => {
      let reads = 0
      while (state.isReading) {
        expect(await readDevelopmentFile(path)).toBeDefined()
        reads += 1
      }
      return reads
    })()
    for (let round = 0; round < 50; round++)
      await writeDevelopmentFile(path, { ...content, api_key: `k${round}` })
    state.isReading = false
    expect(await reader).toBeGreaterThan(0)
    expect((await readDevelopmentFile(path))?.api_key).toBe('k49')
    expect(await mode(path)).toBe('600')
    expect(await readdir(join(directory, 'deep'))).toEqual(['dev.json'])
  })

  it('leaves no temporary file when a write fails', async () => {
    await expect(writeDevelopmentFile(directory, content)).rejects.toThrow()
    expect(
      await readdir(join(directory, '..')).then((names) =>
        names.filter((n) => n.includes(`.${process.pid}`)),
      ),
    ).toEqual([])
  })

  it.each([
    '',
    '{',
    'null',
    '5',
    '[]',
    '{}',
    JSON.stringify({ ...content, nodes: {} }),
    JSON.stringify({ ...content, nodes: [{ id: 'n' }] }),
    JSON.stringify({ ...content, api_key: 5 }),
    JSON.stringify(content).slice(0, -3),
  ])('is treated as absent when it contains %j', async (text) => {
    const at = join(directory, 'dev.json')
    await writeFile(at, text)
    expect(await readDevelopmentFile(at)).toBeUndefined()
  })

  it('is treated as absent when it does not exist or is not a file', async () => {
    expect(await readDevelopmentFile(join(directory, 'none.json'))).toBeUndefined()
    expect(await readDevelopmentFile(directory)).toBeUndefined()
  })
})

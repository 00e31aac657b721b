import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { evmOnly, repository, startGateway, temporaryFolder } from '@fairlead/e2e-tests/gateway'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder(inject('database'))
})
afterEach(() => folder.remove())

/** Command lines of running processes that contain the folder. */
function processesOf(path: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
      } catch {
        return []
      }
    })
    .filter((line) => line.includes(path))
}

describe('the gateway as a process', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'exits cleanly on %s and leaves no child process',
    async (signal) => {
      const gateway = await startGateway(folder.path)
      expect(processesOf(folder.path).length).toBeGreaterThan(0)
      expect(await gateway.end(signal)).toBe(0)
      expect(processesOf(folder.path)).toEqual([])
    },
  )

  it('preserves secrets, records and chain across restarts, and prints no secret of its file', async () => {
    const first = await startGateway(folder.path, { ...evmOnly, FAIRLEAD_LOG_LEVEL: 'debug' })
    expect(statSync(join(folder.path, '.fairlead/dev.json')).mode & 0o777).toBe(0o600)
    await first.end('SIGTERM')
    const {
      api_key,
      nodes: [node],
    } = first.file
    for (const secret of [api_key, node.token, node.password]) expect(first.output()).not.toContain(secret)
    const second = await startGateway(folder.path, evmOnly)
    const { base_url: _, console_url: __, nodes, ...rest } = second.file
    const { base_url: ___, console_url: ____, nodes: firstNodes, ...firstRest } = first.file
    expect(rest).toEqual(firstRest)
    expect(nodes[0].token).toBe(firstNodes[0].token)
    await second.end('SIGTERM')
  })

  it('reports a port that is in use and how to choose another', async () => {
    const occupied = createServer().listen(0, '127.0.0.1')
    await once(occupied, 'listening')
    const port = String((occupied.address() as AddressInfo).port)
    await expect(startGateway(folder.path, { ...evmOnly, FAIRLEAD_PORT: port })).rejects.toThrow(
      `error: port is in use: ${port}. Set FAIRLEAD_PORT`,
    )
    occupied.close()
    expect(processesOf(folder.path)).toEqual([])
  })

  it('prints the secrets of a first start although the port is in use', async () => {
    const occupied = createServer().listen(0, '127.0.0.1')
    await once(occupied, 'listening')
    const { port } = occupied.address() as AddressInfo
    const bin = join(repository, 'packages/gateway/src/bin.ts')
    const environment = { FAIRLEAD_PORT: String(port), FAIRLEAD_EVM_UPSTREAM: 'http://127.0.0.1:1' }
    const serving = promisify(execFile)(process.execPath, ['--conditions=@fairlead/source', bin, 'serve'], {
      cwd: folder.path,
      env: { ...process.env, ...environment },
    })
    const { code, stdout, stderr } = (await serving.catch((error: unknown) => error)) as Record<
      string,
      string
    >
    occupied.close()
    expect([code, stderr]).toEqual([2, expect.stringContaining(`port is in use: ${port}`)])
    for (const name of ['API key', 'token', 'username', 'e-mail'])
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\S+$`, 'm'))
  })

  it('rejects a second process with the same data, and exits cleanly when its output is closed', async () => {
    const gateway = await startGateway(folder.path, evmOnly)
    await expect(startGateway(folder.path, evmOnly)).rejects.toThrow(/in use|already/i)
    const response = await fetch(`${gateway.file.base_url}/readyz`)
    expect(response.status).toBe(200)
    gateway.process.stdout?.destroy()
    expect(await gateway.end('SIGTERM')).toBe(0)
  })

  it('prints its help', async () => {
    const bin = join(repository, 'packages/gateway/src/bin.ts')
    const run = (...args: string[]) =>
      promisify(execFile)(process.execPath, ['--conditions=@fairlead/source', bin, ...args], {
        cwd: folder.path,
      })
    expect((await run('dev', '--help')).stdout).toContain('--port')
    await expect(run('serve')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('FAIRLEAD_EVM_UPSTREAM') as string,
    })
    await expect(run('dev', '--port', 'many')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be an integer from 0 to 65535') as string,
    })
  })
})

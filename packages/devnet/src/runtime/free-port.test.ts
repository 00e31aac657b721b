import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { chooseFreePort } from './free-port.ts'

function expectInRange(port: number): void {
  expect(port).toBeGreaterThanOrEqual(20_000)
  expect(port).toBeLessThan(32_000)
}

test('a port is below the range of the system, and the preferred port is used while it is free', async () => {
  const port = await chooseFreePort(undefined)
  expectInRange(port)
  expect(await chooseFreePort(port)).toBe(port)

  const server = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const other = await chooseFreePort(port)
  expectInRange(other)
  expect(other).not.toBe(port)
})

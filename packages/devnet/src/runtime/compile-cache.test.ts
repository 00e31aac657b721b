import { expect, test, vi } from 'vitest'
import { compileCache } from './compile-cache.ts'

test('workers and watchdogs get the compile cache of this process, and none without one', () => {
  vi.stubEnv('NODE_COMPILE_CACHE', '/tmp/cache')
  expect(compileCache()).toEqual({ NODE_COMPILE_CACHE: '/tmp/cache' })
  vi.stubEnv('NODE_COMPILE_CACHE', undefined)
  expect(compileCache()).toEqual({})
  vi.unstubAllEnvs()
})

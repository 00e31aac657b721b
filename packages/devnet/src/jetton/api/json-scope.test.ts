import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { speakJson } from './json-scope.ts'

test('a number thrown by the engine is an error response', async () => {
  const app = fastify()
  void app.register(async (scope) => {
    speakJson(
      scope,
      (code, words) => ({ code, words }),
      () => 'nothing here',
    )
    scope.get('/', async () => {
      // oxlint-disable-next-line typescript/only-throw-error -- the engine does
      throw 4_074_456
    })
  })
  expect((await app.inject('/')).statusCode).toBe(500)
})

import { expect, test, vi } from 'vitest'
import { Engine, EngineUnavailable } from './engine.ts'

test('a platform without the engine is told how to go on without it', async () => {
  vi.doMock('litesvm/dist/internal.js', () => {
    throw new Error('Cannot find native binding')
  })
  const starting = Engine.start()
  await expect(starting).rejects.toBeInstanceOf(EngineUnavailable)
  await expect(starting).rejects.toThrow(`${process.platform}-${process.arch}`)
  await expect(starting).rejects.toThrow('run without this chain')
})

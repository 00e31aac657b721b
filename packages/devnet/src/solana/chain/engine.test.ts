import { expect, test, vi } from 'vitest'
import { Engine, EngineUnavailable } from './engine.ts'

test('the error for an unsupported platform describes how to start without the engine', async () => {
  vi.doMock('litesvm/dist/internal.js', () => {
    throw new Error('Cannot find native binding')
  })
  const starting = Engine.start()
  await expect(starting).rejects.toBeInstanceOf(EngineUnavailable)
  await expect(starting).rejects.toThrow(`${process.platform}-${process.arch}`)
  await expect(starting).rejects.toThrow('run without this chain')
})

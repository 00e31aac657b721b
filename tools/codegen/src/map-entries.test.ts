import { describe, expect, it } from 'vitest'
import { withWholeMaps } from './map-entries.ts'

const generated = (condition = 'entry1.value !== undefined') => `
export const Request_SlotsEntry: MessageFns<Request_SlotsEntry> = {
  decode(input: BinaryReader | Uint8Array, length?: number): Request_SlotsEntry {
            message.value = Slots.decode(reader, reader.uint32());
  },
};

export const Request: MessageFns<Request> = {
            const entry1 = Request_SlotsEntry.decode(reader, reader.uint32());
            if (${condition}) {
              message.slots[entry1.key] = entry1.value;
            }
            continue;
};
`

describe('withWholeMaps', () => {
  it('reads an entry without a value as one with an empty message', () => {
    const changed = withWholeMaps(generated())
    expect(changed).toContain('value: entry1.value ?? Slots.decode(new Uint8Array(0)),')
    expect(changed).not.toContain('if (entry1')
  })

  it('does not change the decoding of other maps', () => {
    const scalar = generated().replace('Slots.decode(reader, reader.uint32())', 'reader.string()')
    expect(withWholeMaps(scalar)).toContain('value: entry1.value,')
  })

  it('fails when an entry is read in another form', () => {
    expect(() => withWholeMaps(generated('entry1'))).toThrow('1 of 1 maps')
  })

  it('changes nothing in a file without maps', () => {
    expect(withWholeMaps('export const a = 1;\n')).toBe('export const a = 1;\n')
  })
})

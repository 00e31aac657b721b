/**
 * Mends how generated code reads the entries of maps.
 *
 * An encoder may leave out a value that is empty, as those of Rust do; the entry then stands for an empty message, but
 * ts-proto drops it: a filter `{ slots: { all: {} } }` would arrive as no filter. A key of `__proto__` would be lost as
 * well, as assigning it changes the object instead of filling it.
 *
 * @param source - a file that ts-proto wrote
 * @returns the file with every message-valued map read completely
 * @throws Error when an entry is read in a form that is not known here: ts-proto has changed, and so must this
 * @see https://protobuf.dev/programming-guides/encoding/#maps
 */
export function withWholeMaps(source: string): string {
  let mended = 0
  const result = source.replace(
    reading,
    (_, indent: string, entry: string, codec: string, field: string, key: string) => {
      mended += 1
      const value = messageOf(source, codec)
      const read =
        value === undefined ? `${entry}.value` : `${entry}.value ?? ${value}.decode(new Uint8Array(0))`
      return [
        `const ${entry} = ${codec}.decode(reader, reader.uint32());`,
        `globalThis.Object.defineProperty(message.${field}, ${key}, {`,
        `  value: ${read},`,
        '  configurable: true,',
        '  enumerable: true,',
        '  writable: true,',
        '});',
      ]
        .map((line) => indent + line)
        .join('\n')
    },
  )
  const expected = source.match(/const entry\d+ = /g)?.length ?? 0
  if (mended !== expected) {
    throw new Error(`${expected - mended} of ${expected} maps are read in a form that is not known`)
  }
  return result
}

const reading =
  /^( *)const (entry\d+) = (\w+)\.decode\(reader, reader\.uint32\(\)\);\n *if \(\2\.value !== undefined\) \{\n *message\.(\w+)\[(\2\.key(?: as any)?)\] = \2\.value;\n *\}/gm

/** The message that the entries of a map hold; undefined when it is a scalar, whose default ts-proto knows. */
function messageOf(source: string, codec: string): string | undefined {
  const start = source.indexOf(`export const ${codec}:`)
  const end = source.indexOf('\n};', start)
  return /message\.value = (\w+)\.decode\(/.exec(source.slice(start, end))?.[1]
}

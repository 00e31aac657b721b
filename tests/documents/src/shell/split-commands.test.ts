import { expect, it } from 'vitest'
import { splitCommands } from './split-commands.ts'

it.each<[string, string[][]]>([
  ['npm start    # installs', [['npm', 'start']]],
  ['A=b fairlead x "c d" \\\n  --e', [['A=b', 'fairlead', 'x', 'c d', '--e']]],
  ['cat < key.txt | jq -r .id > out', [['cat'], ['jq', '-r', '.id']]],
  [
    'p=$(fairlead y | jq \'.[0]\')\ncurl "$p"',
    [['fairlead', 'y'], ['jq', '.[0]'], ['p=$(…)'], ['curl', '$p']],
  ],
  ['a "[{\\"b\\":1}]" && c', [['a', '[{"b":1}]'], ['c']]],
])('splits %j', (script, commands) => {
  expect(splitCommands(script)).toEqual(commands)
})

it('refuses a quote that does not end', () => {
  expect(() => splitCommands("echo 'a")).toThrow('a quote does not end')
})

const caller = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
export const echo = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
const destroyed = '0xdc64a140aa3e981100a9beca4e685f962f0cf6c9'
const sender = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

/** Abridged responses of Anvil 1.7.1, each with the schema that it must match. */
export const traceResults: Readonly<Record<string, readonly [name: string, answer: unknown]>> = {
  'nested calls with a log': [
    'CallFrame',
    {
      from: sender,
      gas: '0x2baac',
      gasUsed: '0x16d18',
      to: caller,
      input: word(0x2b),
      calls: [
        {
          from: caller,
          gas: '0x2a5a2',
          gasUsed: '0x1795',
          to: echo,
          input: word(0x2b),
          output: word(0x2b),
          logs: [{ address: echo, topics: [word(1)], data: word(0x2b), position: '0x0', index: '0x0' }],
          value: '0x0',
          type: 'CALL',
        },
        {
          from: caller,
          gas: '0x1ef78',
          gasUsed: '0xd7',
          to: '0x75537828f2ce51be7289709686a69cbfdbb714f1',
          input: '0x5f5f5360015ff3',
          output: '0x00',
          value: '0x0',
          type: 'CREATE',
        },
      ],
      value: '0x38d7ea4c68000',
      type: 'CALL',
    },
  ],
  'the end of a contract': [
    'CallFrame',
    {
      from: sender,
      gas: '0x2bb38',
      gasUsed: '0x6592',
      to: destroyed,
      input: '0x',
      calls: [
        {
          from: destroyed,
          gas: '0x0',
          gasUsed: '0x0',
          to: sender,
          input: '0x',
          value: '0x64',
          type: 'SELFDESTRUCT',
        },
      ],
      value: '0x64',
      type: 'CALL',
    },
  ],
  'the state before': [
    'PrestateTrace',
    {
      [destroyed]: { balance: '0x0', code: '0x33ff', nonce: 1 },
      [echo]: { balance: '0x0', nonce: 1, storage: { [word(0)]: word(0x2a) } },
    },
  ],
  'the state before and after': [
    'PrestateDiff',
    {
      post: {
        [sender]: { balance: '0x21e19e42d6bbf484e14', nonce: 1 },
        [echo]: { storage: { [word(0)]: word(0x2b) } },
      },
      pre: {
        [sender]: { balance: '0x21e19e4573957068000' },
        [echo]: { balance: '0x0', storage: { [word(0)]: word(0x2a) } },
      },
    },
  ],
  functions: ['FourByteTrace', { '0x00000000-28': 2 }],
  'no functions': ['FourByteTrace', {}],
  nothing: ['NoopTrace', {}],
  steps: [
    'OpcodeTrace',
    {
      failed: false,
      gas: 44277,
      returnValue: word(0x2a),
      structLogs: [
        { pc: 3, op: 'PUSH0', gas: 78852, gasCost: 2, depth: 1, stack: ['0x2a', '0x2a'], refund: 0 },
        {
          pc: 4,
          op: 'SSTORE',
          gas: 78850,
          gasCost: 22100,
          depth: 1,
          stack: ['0x2a', '0x2a', '0x0'],
          returnData: '0x',
          memory: [],
          storage: { [word(0)]: word(0x2a) },
          refund: 0,
        },
      ],
    },
  ],
  'a flat list': [
    'FlatCallTraces',
    [
      {
        action: { address: destroyed, balance: '0x64', refundAddress: sender },
        blockHash: word(6),
        blockNumber: 6,
        result: null,
        subtraces: 0,
        traceAddress: [0],
        transactionHash: word(7),
        transactionPosition: 1,
        type: 'suicide',
      },
    ],
  ],
  'steps and changes': [
    'TraceResults',
    {
      output: '0x',
      stateDiff: {
        [echo]: {
          balance: '=',
          code: '=',
          nonce: { '*': { from: '0x1', to: '0x2' } },
          storage: { [word(0)]: { '*': { from: word(0), to: word(0x2a) } } },
        },
        [caller]: { balance: { '+': '0x0' }, code: { '+': '0x00' }, nonce: { '-': '0x1' }, storage: {} },
      },
      trace: [],
      vmTrace: {
        code: '0x5f35',
        ops: [
          {
            cost: 2,
            ex: { used: 78860, push: ['0x0'], mem: { off: 0, data: '0x' }, store: null },
            pc: 0,
            sub: { code: '0x', ops: [] },
            op: 'PUSH0',
          },
        ],
      },
    },
  ],
}

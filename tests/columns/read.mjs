// SPDX-License-Identifier: MIT
// read.mjs FILE...: DuckDB and hyparquet read the same values from Parquet files.  The folder of
// their packages is $SPOOR_NODE_MODULES.
import { createRequire } from 'node:module'

const require = createRequire(process.env.SPOOR_NODE_MODULES + '/')
const { DuckDBInstance } = require('@duckdb/node-api')
const { asyncBufferFromFile, parquetReadObjects } = await import(require.resolve('hyparquet'))
const { compressors } = await import(require.resolve('hyparquet-compressors'))

const text = (value) => (value === null || value === undefined ? null : String(value))
const connection = await (await DuckDBInstance.create(':memory:')).connect()
let failed = false
for (const path of process.argv.slice(2)) {
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path), compressors })
  const result = await connection.runAndReadAll(`select * from '${path}'`)
  const names = result.columnNames()
  const others = result.getRows()
  const wrong = others.findIndex((row, i) =>
    names.some((name, k) => text(row[k]) !== text(rows[i][name])))
  if (rows.length === others.length && wrong < 0) continue
  console.log(`${path}: hyparquet reads ${rows.length} rows, DuckDB ${others.length}; row ${wrong}`)
  failed = true
}
process.exit(failed ? 1 : 0)

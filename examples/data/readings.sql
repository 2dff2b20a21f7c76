-- A table for examples/jobs/database.yaml: psql -h 127.0.0.1 -U postgres -f examples/data/readings.sql
create table readings (id bigint primary key, taken timestamp, sensor text, temperature double precision, pressure double precision);
insert into readings
select i,
       timestamp '2026-01-01' + i * interval '1 hour',
       'sensor-' || i % 4,
       case when i % 25 = 0 then null else 20 + 5 * sin(i / 9.0) end,
       1000 + 30 * sin(i / 9.0) + 10 * (i % 4)
from generate_series(1, 2000) i;

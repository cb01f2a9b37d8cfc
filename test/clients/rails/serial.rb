# A table that had a serial, after idgen_migrate.replace_serial(): what Rails does with its sequence. With application.rb.
connection = ActiveRecord::Base.connection
connection.execute('CREATE EXTENSION IF NOT EXISTS idgen_migrate')
connection.create_table(:invoices) { |t| t.text :title }

class Invoice < ActiveRecord::Base
end
before = [Invoice.create!(title: 'a').id, Invoice.create!(title: 'b').id]
connection.execute("CALL idgen_migrate.replace_serial('invoices', 'id')")
made = [Invoice.create!(title: 'c').id]
connection.reset_pk_sequence!('invoices')
made << Invoice.create!(title: 'd').id
shards = made.map { |id| connection.select_value("SELECT id_shard(#{id})") }
connection.drop_table(:invoices)
puts JSON.generate(before: before, rising: made.first < made.last, shards: shards)

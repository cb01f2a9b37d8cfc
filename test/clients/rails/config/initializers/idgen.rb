# config/initializers/idgen.rb
require 'active_record/connection_adapters/postgresql_adapter'

module IdgenTypes
  POSTGRESQL = ActiveRecord::ConnectionAdapters::PostgreSQL

  # The types that your columns have, and what their texts look like.
  FORMATS = {
    id64: ->(text) { text.match?(/\A[0-9A-Za-z]{11}\z/) && text <= 'AzL8n0Y58m7' },
    ulid: ->(text) { text.match?(/\A[0-7][0-9A-HJKMNP-TV-Z]{25}\z/i) }
  }.freeze

  # A string to Ruby. As with a uuid, another text is nil: find() then raises RecordNotFound, not an error of the server.
  class Text < POSTGRESQL::OID::SpecializedString
    def cast_value(value)
      value.to_s if FORMATS[type].call(value.to_s)
    end

    def serialize(value)
      cast(value)
    end
  end

  # The others follow, arrays of these among them.
  def initialize_type_map(map = type_map)
    FORMATS.each_key { |name| map.register_type(name.to_s, Text.new(name)) }
    super
  end

  # The extensions make these schemas: Rails 7.2 and later need not write them into schema.rb.
  def schema_names
    super - %w[idgen idgen_lease]
  end

  FORMATS.each_key do |name|
    ActiveRecord::ConnectionAdapters::PostgreSQLAdapter::NATIVE_DATABASE_TYPES[name] = { name: name.to_s }
    POSTGRESQL::ColumnMethods.define_method(name) do |*columns, **options|
      columns.each { |column| self.column(column, name, **options) }
    end
  end
  ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.prepend(self)
end

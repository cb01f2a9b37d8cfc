# The models of application.rb and app.rb.

# In docs/clients/ruby.md:
class Photo < ActiveRecord::Base
  has_many :comments

  # JSON has the ID as a string.
  def serializable_hash(options = nil)
    super.tap { |hash| hash['id'] = hash['id'].to_s if hash['id'] }
  end
end
# End.

class Comment < ActiveRecord::Base
  belongs_to :photo
end

class Album < ActiveRecord::Base
  has_many :visits
end

class Visit < ActiveRecord::Base
  belongs_to :album
end
